"""How well words can be read on a page, computed as WCAG 2.2 says (1.4.3): the contrast of text with what lies behind it."""

from playwright.sync_api import Locator

ENOUGH = 4.5

_LOWEST = """(target) => {
  const paint = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    paint.clearRect(0, 0, 1, 1); paint.fillStyle = color; paint.fillRect(0, 0, 1, 1);
    return [...paint.getImageData(0, 0, 1, 1).data].map((part) => part / 255);
  };
  const over = ([r, g, b, a], under) => [r, g, b].map((part, at) => part * a + under[at] * (1 - a));
  const up = (node) => node.parentElement ?? node.getRootNode().host ?? null;
  const behind = (node) => {
    if (!node) return [1, 1, 1];
    const { backgroundColor, opacity } = getComputedStyle(node);
    const under = behind(up(node));
    return over([...over(rgba(backgroundColor), under), Number(opacity)], under);
  };
  const faded = (node) => (node ? Number(getComputedStyle(node).opacity) * faded(up(node)) : 1);
  const light = (parts) => {
    const [r, g, b] = parts.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (node) => {
    const ground = behind(node);
    const [r, g, b, a] = rgba(getComputedStyle(node).color);
    const [one, other] = [light(over([r, g, b, a * faded(node)], ground)), light(ground)];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  const hasWords = (node) => [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim());
  const isShown = (node) => node.checkVisibility({ visibilityProperty: true });
  return Math.min(...[target, ...target.querySelectorAll("*")].filter((node) => hasWords(node) && isShown(node)).map(contrast));
}"""


def lowest_contrast(target: Locator) -> float:
    """The least contrast of any words within an element, with its own colours as they are now."""
    return float(target.evaluate(_LOWEST))
