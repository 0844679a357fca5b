"""What models answered and the attributions of explanation tools."""
