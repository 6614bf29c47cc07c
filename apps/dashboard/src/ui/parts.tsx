import { useEffect, useLayoutEffect, useRef, type CSSProperties, type ReactNode, type RefObject } from 'react';
import { useGrowing } from './use-growing';
import classes from './parts.module.css';

/** Rows of a part. */
const ROWS = 10;
/** Of these, some are in sight at first. */
const FIRST = 2;
/** A part that is nearer to what is seen is laid out. */
const NEAR = '300px';
/** Without it, the search of the browser would not find what is hidden. */
const IS_FOUND = 'onbeforematch' in HTMLElement.prototype;

interface PartsProps<Row> {
  readonly rows: readonly Row[];
  /** With `aria-posinset` and `aria-setsize`: who listens has only the rows near those that are seen. */
  readonly draw: (row: Row, index: number) => ReactNode;
  /** About how large these rows are together. */
  readonly sizeOf: (rows: readonly Row[]) => Pick<CSSProperties, 'containIntrinsicWidth' | 'containIntrinsicHeight'>;
  /** What scrolls; without it, the page does. */
  readonly box?: RefObject<HTMLElement | null>;
  readonly className?: string | undefined;
}

/**
 * Rows of a long list, in parts. All of them are in the page, so that the search of the browser finds them, but only parts near what
 * is seen are laid out.
 */
export function Parts<Row>({ rows, draw, sizeOf, box, className }: PartsProps<Row>) {
  const drawn = Math.min(rows.length, useGrowing(rows.length));
  return Array.from({ length: Math.ceil(drawn / ROWS) }, (_, part) => {
    const its = rows.slice(part * ROWS, Math.min(drawn, (part + 1) * ROWS));
    return (
      <Part key={part} isFar={part >= FIRST} size={sizeOf(its)} box={box} className={className}>
        {its.map((row, i) => draw(row, part * ROWS + i))}
      </Part>
    );
  });
}

interface PartProps {
  readonly isFar: boolean;
  readonly size: CSSProperties;
  readonly box: RefObject<HTMLElement | null> | undefined;
  readonly className: string | undefined;
  readonly children: ReactNode;
}

function Part({ isFar, size, box, className = '', children }: PartProps) {
  const part = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    if (isFar && part.current) setHidden(part.current, true);
  }, [isFar]);
  useEffect(() => {
    if (!part.current) return undefined;
    const look = ([entry]: IntersectionObserverEntry[]): void => {
      if (entry) setHidden(entry.target, !entry.isIntersecting);
    };
    const observer = new IntersectionObserver(look, { root: box?.current ?? null, rootMargin: NEAR });
    observer.observe(part.current);
    return () => observer.disconnect();
  }, [box]);
  return (
    <div ref={part} role="presentation" className={`${classes.part} ${className}`} style={size}>
      {children}
    </div>
  );
}

/** What has the focus keeps it. */
function setHidden(part: Element, isHidden: boolean): void {
  if (!isHidden) part.removeAttribute('hidden');
  else if (IS_FOUND && !part.contains(document.activeElement)) part.setAttribute('hidden', 'until-found');
}
