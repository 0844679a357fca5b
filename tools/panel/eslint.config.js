/** What eslint asks of the panel's modules and of their tests. `make test` runs it from the root of the repository. */
import js from "@eslint/js";
import globals from "globals";
import annotator from "./spoken.js";

/** Sentences that people read and what is drawn (SVG, style sheets) stay in one piece: so one finds them. */
const LONGEST_LINE = {
  code: 120,
  ignoreUrls: true,
  ignoreStrings: true,
  ignoreTemplateLiterals: true,
  ignoreRegExpLiterals: true,
};

export default [
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals: globals.browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "max-len": ["error", LONGEST_LINE],
      "no-implicit-globals": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_." }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
    },
  },
  {
    files: ["annotator/web/panel/**/*.js"],
    plugins: { annotator },
    rules: { "annotator/spoken": "error" },
  },
  { files: ["tests/panel/**"], languageOptions: { globals: globals.node } },
];
