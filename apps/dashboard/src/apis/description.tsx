import classes from './apis.module.css';

/** A text of a document, which may be long: it scrolls by itself. */
export function Description({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <div className={classes.says} tabIndex={0} role="region" aria-label="Description">
      {text}
    </div>
  );
}
