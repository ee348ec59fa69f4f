"""How fast mcm answers: families of litmus tests that grow with a parameter, and the runner that times them."""
