/** With a full stop, unless it ends with a mark of its own: "did you mean url?". */
export function asSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}
