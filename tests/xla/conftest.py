"""Eight devices on one CPU: what asks for none uses the first. JAX reads this with its first use."""

import os

os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_force_host_platform_device_count=8"
