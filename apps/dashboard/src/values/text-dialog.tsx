import { Button, Checkbox, SegmentedControl } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Dialog } from '../ui/dialog';
import { framedPage, isHtml, MAX_HTML } from './framed-page';
import classes from './value-view.module.css';

interface TextDialogProps {
  readonly text: string;
  readonly name: string;
  /** What can be done with the text. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** More in one element makes the page stutter. */
const PORTION = 100_000;
const PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp|svg\+xml)[;,]/;

/** A whole text: with its lines, as the page that it is, or as the picture. */
export function TextDialog({ text, name, children, onClose }: TextDialogProps) {
  const other = PICTURE.test(text) ? 'picture' : isHtml(text) && text.length <= MAX_HTML ? 'page' : null;
  const [view, setView] = useState<'text' | 'page' | 'picture'>(other ?? 'text');
  return (
    <Dialog title={name} size="xl" onClose={onClose}>
      <div className={classes.view}>
        {other && (
          <SegmentedControl
            aria-label="How it is shown"
            data={[
              { value: other, label: other === 'page' ? 'As a page' : 'As a picture' },
              { value: 'text' as const, label: 'As text' },
            ]}
            value={view}
            onChange={setView}
          />
        )}
        {view === 'text' && (
          <Text text={text} name={name}>
            {children}
          </Text>
        )}
        {view === 'page' && <Page html={text} name={name} />}
        {view === 'picture' && (
          <figure className={classes.picture}>
            <img src={text} alt={name} />
          </figure>
        )}
      </div>
    </Dialog>
  );
}

function Text({ text, name, children }: Omit<TextDialogProps, 'onClose'>) {
  const [wraps, setWraps] = useState(true);
  const [shown, setShown] = useState(PORTION);
  return (
    <>
      <div className={classes.line}>
        <Checkbox
          label="Wrap long lines"
          checked={wraps}
          onChange={({ currentTarget }) => setWraps(currentTarget.checked)}
        />
        {children}
        <span className="soft num">{text.length.toLocaleString()} characters</span>
      </div>
      <pre
        className={classes.text}
        tabIndex={0}
        role="region"
        aria-label={name}
        dir="auto"
        {...(wraps && { 'data-wraps': true })}
      >
        {text.slice(0, shown)}
      </pre>
      {shown < text.length && (
        <Button variant="default" onClick={() => setShown(shown + PORTION)}>
          Show more: {(text.length - shown).toLocaleString()} characters are left
        </Button>
      )}
    </>
  );
}

function Page({ html, name }: { readonly html: string; readonly name: string }) {
  const [page] = useState(() => framedPage(html, nonceOfPage()));
  return (
    <>
      <p className="soft">Without scripts, links, and what it would fetch.</p>
      <iframe className={classes.frame} title={name} sandbox="" referrerPolicy="no-referrer" srcDoc={page} />
    </>
  );
}

function nonceOfPage(): string {
  return document.querySelector<HTMLElement>('script[nonce]')?.nonce ?? '';
}
