"""In which order texts are given out: what it is, what another one would bring, and setting it."""
