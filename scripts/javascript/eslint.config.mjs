// Rules for all JavaScript of the project, laid flat into one folder by check.py.

import js from "@eslint/js";
import globals from "globals";
import { defineConfig } from "eslint/config";

const regex = "^(?!\\./[a-z_]+\\.js$)";
const message = "A reader is exported alone: it imports modules of its own folder only.";

export default defineConfig([
  {
    files: ["**/*.js", "**/*.mjs"],
    extends: [js.configs.recommended],
    linterOptions: { reportUnusedDisableDirectives: "error" },
    languageOptions: { ecmaVersion: 2022 },
    rules: {
      eqeqeq: "error",
      "no-eval": "error",
      "no-shadow": ["error", { allow: ["open"] }], // open boxes, beside a module's `open`
      "no-unused-vars": ["error", { ignoreRestSiblings: true }],
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
    },
  },
  {
    // The readers run in pages, on phones and in Node: they see what all of these have.
    files: ["**/*.js"],
    languageOptions: { globals: globals["shared-node-browser"] },
    rules: { "no-restricted-imports": ["error", { patterns: [{ regex, message }] }] },
  },
  {
    // The page runs in browsers alone, and imports the main module of the package beside it.
    files: ["page/*.js"],
    languageOptions: { globals: { ...globals.browser, ...globals.serviceworker } },
    rules: { "no-restricted-imports": "off" },
  },
  { files: ["**/*.mjs"], languageOptions: { globals: globals.node } },
]);
