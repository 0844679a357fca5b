"""Corpora as their authors publish them, read as the instances that ERASER made of them (DeYoung et al. 2020, appendix A)."""
