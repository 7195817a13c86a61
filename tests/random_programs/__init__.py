"""Random programs in the thousands: `python -m tests.random_programs`."""
