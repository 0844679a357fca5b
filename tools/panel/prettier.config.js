/** How the panel's modules are laid out: as ruff lays out the Python (120 columns, double quotes). */
export default { printWidth: 120 };
