"""What from_torch.py stands on."""
