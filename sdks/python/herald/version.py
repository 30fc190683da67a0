# The client sends its version with each request, and the package has it.
__version__ = "0.2.0"
