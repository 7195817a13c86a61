"""What an op is: its declaration, the general path of a call, and the generated entries."""
