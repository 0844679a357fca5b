/**
 * A rule of eslint: what people read is said by `_`, `several` or `counted`, so that it is in the catalogues of other
 * languages. It looks at strings with two words or more, and where people read also at single words.
 */

const SPOKEN_BY = new Set(["_", "several", "counted"]);
const SENTENCE = /[A-Za-z’']{2,}[,.:;]? [a-z{“‘(]|[A-Z][a-z]+ [A-Z][a-z]/u;
const WORD = /[A-Za-z]{2,}/u;
/** Properties and calls whose words the browser reads, or whoever mends the program. */
const UNREAD = /^(class|className|style|d|viewBox|cssText|aria-keyshortcuts|key)$/u;
const UNREAD_CALLS =
  /^(querySelector(All)?|closest|matches|parts?|matchMedia|getItem|setItem|removeItem|startsWith|endsWith|includes|split|replace(All)?|setProperty|getAttribute|mark|measure|add|remove|toggle|contains|post|get|Error|TypeError|RangeError|RegExp|supports)$/u;
/** What is read by people even where it is one word. */
const READ = /^(title|aria-label|aria-description|placeholder|label|words)$/u;
const READ_CALLS = /^(button|toggle|announce|hint|say)$/u;

/** What is written for the browser: style sheets, queries of media, selectors, drawings, fonts, the class of a screen. */
const CODE =
  /(^|[;{])\s*[a-z-]+:[^\s]|^::|^\([a-z-]+:|@media |\[[a-z-]+[\]=]|<(svg|rect|line|text) |px ([a-z-]+, )?sans-serif$|^panel( [a-z]+)+$/u;
/** What is written for LaTeX. */
const LATEX = /\\(usepackage|noindent|strut|setlength)\b/u;
/** Names of metrics stay as the papers have them, and “Aa” is no word. */
const NAME = /^(Aa|AP|IoU|MAP|RLR|RSN)$/u;
/** Keys of the keyboard are called the same in every language. */
const KEY = /\b(Ctrl|Shift|Alt|Esc|Space|Home|End|PgUp|PgDn|Del|Enter)\b/gu;

/** @param {any} callee */
const nameOf = (callee) => callee?.name ?? callee?.property?.name ?? "";

/**
 * Whether a call, a property or an assignment around a string says that nobody reads it; null where it says nothing.
 * @param {any} node
 * @returns {"read"|"unread"|"spoken"|null}
 */
function placeOf(node) {
  const { parent } = node;
  switch (parent.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration":
    case "ExportAllDeclaration":
    case "ImportExpression":
    case "SwitchCase":
    case "TaggedTemplateExpression":
      return "unread";
    case "ExpressionStatement":
      return "unread"; // a directive
    case "BinaryExpression":
      return /^[!=]==?$|^in$/u.test(parent.operator) ? "unread" : null;
    case "Property":
      if (parent.key === node && !parent.computed) return "unread";
      return fieldOf(parent.key);
    case "VariableDeclarator":
      return fieldOf(parent.id);
    case "AssignmentExpression":
      return parent.right === node && parent.left.type === "MemberExpression"
        ? fieldOf(parent.left.property, parent.left.object)
        : null;
    case "CallExpression":
    case "NewExpression":
      return argumentOf(parent, node);
    default:
      return null;
  }
}

/** @param {any} key @param {any} [of]  whose field it is */
function fieldOf(key, of) {
  if (of?.property?.name === "style") return "unread";
  const name = String(key.name ?? key.value ?? "");
  return UNREAD.test(name) ? "unread" : READ.test(name) ? "read" : null;
}

/** @param {any} call @param {any} node */
function argumentOf(call, node) {
  const name = nameOf(call.callee);
  const index = call.arguments.indexOf(node);
  if (SPOKEN_BY.has(name)) return "spoken";
  if (index < 0) return null;
  if (name === "setAttribute") return index === 1 ? fieldOf(call.arguments[0]) : "unread";
  if (nameOf(call.callee.object) === "classList") return "unread";
  if (READ_CALLS.test(name) && index === 0 && call.callee.type === "Identifier") return "read";
  if (name === "announce" || name === "hint" || (name === "setText" && index === 1)) return "read";
  if (/^(div|inline|paragraph|option|pressable)$/u.test(name)) return index === 0 ? "unread" : "read";
  if (name === "tr") return "read";
  if (name === "element") return index === 0 ? "unread" : call.arguments[0].value === "kbd" ? "unread" : "read";
  return UNREAD_CALLS.test(name) ? "unread" : null;
}

/** Through what chooses between strings, or joins them, to what they are for. @param {any} node */
function useOf(node) {
  let at = node;
  for (; at; at = at.parent) {
    const place = at.parent && placeOf(at);
    if (place) return place;
    const { type } = at.parent ?? {};
    const passes =
      ((type === "ConditionalExpression" || type === "LogicalExpression") && at.parent.test !== at) ||
      type === "BinaryExpression" ||
      type === "TemplateLiteral";
    if (!passes) return null;
  }
  return null;
}

/** @type {import("eslint").Rule.RuleModule} */
export const spoken = {
  meta: {
    type: "problem",
    schema: [],
    messages: { plain: "“{{words}}” is said in English alone: say it by _(), several() or counted()." },
  },
  create(context) {
    /** @param {any} node @param {string} text */
    const look = (node, text) => {
      if (CODE.test(text) || LATEX.test(text) || NAME.test(text)) return;
      const words = text.replace(KEY, "");
      const use = useOf(node);
      if (use === "spoken" || use === "unread") return;
      if (SENTENCE.test(words) || (use === "read" && WORD.test(words.replace(/\{\}/gu, ""))))
        context.report({ node, messageId: "plain", data: { words: text.slice(0, 60) } });
    };
    return {
      Literal: (node) => typeof node.value === "string" && look(node, node.value),
      TemplateLiteral: (node) => look(node, node.quasis.map(({ value }) => value.cooked).join("{}")),
    };
  },
};

export default { rules: { spoken } };
