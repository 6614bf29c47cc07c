import { previewOfText, type Known } from './expression';
import classes from './form.module.css';

/** The value that a text with expressions has with the samples of the flow, in a loop for the first item. */
export function ValueHint({ known, text }: { readonly known: Known; readonly text: string }) {
  const preview = previewOfText(known, text);
  if (preview === null || preview.state === 'unknown') return null;
  if (preview.state === 'computed') return <p className={classes.hint}>computed when it runs; “Try” shows it</p>;
  if (preview.state === 'missing') {
    return (
      <p className={classes.hint} data-missing>
        the sample has no {preview.path}
      </p>
    );
  }
  return (
    <p className={classes.hint} title="With the samples, or the last play that went well; in a loop for the first item">
      = <span className="mono">{shortText(preview.value)}</span>
    </p>
  );
}

const MAX_CHARS = 400;

/** In one line, never more of it than a line can show. */
function shortText(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > MAX_CHARS ? `${text.slice(0, MAX_CHARS)}…` : text;
}
