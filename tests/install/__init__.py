"""What users install, tried as they install it: the built wheel, on every Python here, with the newest and oldest packages."""
