import { Menu, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { elementScroll, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { lazy, startTransition, Suspense, useCallback, useMemo, useRef, useState } from 'react';
import { CopyButton } from '../ui/copy-button';
import { Icon } from '../ui/icon';
import { keyOf, pathText, pointerOf, previewOf, visibleNodes, type TreeNode } from './tree-model';
import { useFound } from './use-found';
import classes from './value-tree.module.css';

const TextDialog = lazy(async () => ({ default: (await import('./text-dialog')).TextDialog }));

interface ValueTreeProps {
  readonly value: unknown;
  readonly label: string;
  /** How expressions name the root: `.fetch`, `$prev.args`. */
  readonly expression?: string;
  /** Where the API has the value. */
  readonly path?: string;
  /** The message of an error: texts of the value that it quotes are marked. */
  readonly failingText?: string | undefined;
  /** Called with the place of a value that is clicked. */
  readonly onPick?: ((path: TreeNode['path']) => void) | undefined;
  /** By JSON pointer: what stands under a value. */
  readonly notes?: ReadonlyMap<string, Note>;
}

export interface Note {
  readonly text: string;
  /** Why the value is not there. */
  readonly fault?: string;
}

const ROW_PX = 24;
const NOTE_PX = 18;
const NO_NOTES: ReadonlyMap<string, Note> = new Map();
const MAX_HEIGHT_PX = 480;
const SEARCH_FROM = 8;

type Box = Virtualizer<HTMLDivElement, Element>;

/** It is never higher, so nobody has to measure it, which would lay out the page at once. */
const knownRect = (_box: Box, tell: (rect: { width: number; height: number }) => void): void =>
  tell({ width: 0, height: MAX_HEIGHT_PX });

/** A new box is at its top. */
const scrollTo: typeof elementScroll<HTMLDivElement> = (offset, options, box) => {
  if (box.scrollOffset !== 0 || offset !== 0) elementScroll(offset, options, box);
};

/** Any JSON value, as large as it may be: only the rows on the screen are in the page. */
export function ValueTree(props: ValueTreeProps) {
  const { value, label, expression, path, failingText, onPick, notes = NO_NOTES } = props;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [text, setText] = useState('');
  const [whole, setWhole] = useState<TreeNode | null>(null);
  const found = useFound(value, text.trim());
  const visible = useMemo(() => visibleNodes(value, toggled), [value, toggled]);
  const nodes = found ?? visible;
  const box = useRef<HTMLDivElement>(null);
  const noteAt = (index: number): Note | undefined => notes.get(pointerOf(nodes[index]?.path ?? []));
  const heightAt = (index: number): number => {
    const note = notes.size > 0 ? noteAt(index) : undefined;
    return ROW_PX + (note ? NOTE_PX : 0) + (note?.fault === undefined ? 0 : NOTE_PX);
  };
  // another one for other rows: their heights are looked at again
  const indexAt = useCallback((index: number) => (index < nodes.length ? index : -1), [nodes]);
  const virtual = useVirtualizer({
    count: nodes.length,
    estimateSize: heightAt,
    getItemKey: indexAt,
    getScrollElement: () => box.current,
    observeElementRect: knownRect,
    scrollToFn: scrollTo,
    overscan: 10,
  });
  const toggle = ({ path: place }: TreeNode): void => {
    const next = new Set(toggled);
    if (!next.delete(keyOf(place))) next.add(keyOf(place));
    // there may be thousands in it
    startTransition(() => setToggled(next));
  };
  const height = Math.min(virtual.getTotalSize(), MAX_HEIGHT_PX);
  return (
    <div>
      {(nodes.length > SEARCH_FROM || text !== '') && (
        <TextInput
          aria-label={`Search in: ${label}`}
          placeholder="Search names and values"
          leftSection={<Icon name="search" size={13} />}
          mb="xs"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      <div ref={box} className={classes.box} style={{ height }} tabIndex={0} role="group" aria-label={label}>
        <div style={{ height: virtual.getTotalSize(), position: 'relative' }}>
          {virtual.getVirtualItems().map(({ index, start }) => {
            const node = nodes[index];
            if (!node) return null;
            const isQuoted =
              typeof node.value === 'string' && node.value.length > 3 && failingText?.includes(node.value);
            const note = noteAt(index);
            return (
              <div
                key={keyOf(node.path)}
                className={classes.row}
                style={{ transform: `translateY(${start}px)`, paddingLeft: `${node.depth * 14}px` }}
                {...(isQuoted && { 'data-quoted': true })}
              >
                <div className={classes.line}>
                  <Row
                    node={node}
                    onToggle={() => toggle(node)}
                    onWhole={() => setWhole(node)}
                    expression={expression}
                    path={path}
                    onPick={onPick}
                  />
                </div>
                {note && (
                  <code className={classes.note} title={note.text}>
                    {note.text}
                  </code>
                )}
                {note?.fault !== undefined && (
                  <span className={classes.fault} title={note.fault}>
                    {note.fault}
                  </span>
                )}
              </div>
            );
          })}
        </div>
      </div>
      {found?.length === 0 && <p className="soft">Nothing has this text.</p>}
      <Suspense>
        {whole && (
          <TextDialog text={String(whole.value)} name={whole.name ?? label} onClose={() => setWhole(null)}>
            <CopyButton text={String(whole.value)}>Copy</CopyButton>
          </TextDialog>
        )}
      </Suspense>
    </div>
  );
}

interface RowProps {
  readonly node: TreeNode;
  readonly onToggle: () => void;
  /** A text is to be seen as a whole. */
  readonly onWhole: () => void;
  readonly expression: string | undefined;
  readonly path: string | undefined;
  readonly onPick: ValueTreeProps['onPick'];
}

function Row({ node, onToggle, onWhole, expression, path, onPick }: RowProps) {
  const { name, value, size, isOpen } = node;
  const preview = (
    <span className={classes.value} data-type={size === null ? typeof value : 'branch'}>
      {previewOf(value, size)}
    </span>
  );
  return (
    <>
      {size && onPick ? (
        <button
          type="button"
          className={classes.arrow}
          aria-expanded={isOpen}
          aria-label={`Show what is in ${name ?? 'the whole value'}`}
          onClick={onToggle}
        >
          <Icon name={isOpen ? 'down' : 'chevron'} size={12} />
        </button>
      ) : null}
      {onPick ? (
        <button type="button" className={classes.leaf} title="Insert the path" onClick={() => onPick(node.path)}>
          {name !== null && <span className={classes.name}>{name}</span>}
          {preview}
        </button>
      ) : size ? (
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={onToggle}>
          <Icon name={isOpen ? 'down' : 'chevron'} size={12} />
          {name !== null && <span className={classes.name}>{name}</span>}
          {preview}
        </button>
      ) : isLong(value) ? (
        <button type="button" className={classes.leaf} aria-haspopup="dialog" onClick={onWhole}>
          {name !== null && <span className={classes.name}>{name}</span>}
          {preview}
          <span className="sr-only">, show all</span>
          <Icon name="more" size={12} />
        </button>
      ) : (
        <span className={classes.leaf}>
          {name !== null && <span className={classes.name}>{name}</span>}
          {preview}
        </span>
      )}
      <CopyMenu node={node} expression={expression} path={path} onPick={onPick} />
    </>
  );
}

/** The menu is made when it is asked for: one in each row would make large values slow. */
function CopyMenu({ node, expression, path, onPick }: Omit<RowProps, 'onToggle' | 'onWhole'>) {
  const [isOpen, setOpen] = useState(false);
  const { copy } = useClipboard();
  const button = (
    <button
      type="button"
      className={classes.more}
      aria-label={`Copy ${node.name ?? 'the whole value'}`}
      aria-haspopup="menu"
      onClick={() => setOpen(true)}
    >
      <Icon name="copy" size={12} />
    </button>
  );
  if (!isOpen) return button;
  return (
    <Menu opened onChange={setOpen} position="bottom-end">
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {onPick && <Menu.Item onClick={() => onPick(node.path)}>Insert the path</Menu.Item>}
        <Menu.Item onClick={() => copy(textOf(node.value))}>Copy the value</Menu.Item>
        {expression !== undefined && (
          <Menu.Item onClick={() => copy(`{{ ${expression}${pathText(node.path)} }}`)}>Copy as expression</Menu.Item>
        )}
        {path !== undefined && (
          <Menu.Item onClick={() => copy(`curl -H "authorization: Bearer $TOKEN" '${location.origin}${path}'`)}>
            Copy as curl
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

const LINE = 80;

/** One line does not show it, or not as it is meant. */
function isLong(value: unknown): boolean {
  return typeof value === 'string' && (value.length > LINE || value.includes('\n') || /^\s*</.test(value));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
