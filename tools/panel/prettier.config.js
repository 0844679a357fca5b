/** How the panel's modules are laid out: as ruff lays out the Python (120 columns, double quotes; what fits on a line stands on one). */
export default { printWidth: 120, objectWrap: "collapse" };
