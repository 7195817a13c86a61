"""What an op is: its declaration, the general path of a call, what a tape keeps of it, and the generated entries."""
