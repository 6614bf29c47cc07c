import { Menu, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useDeferredValue, useMemo, useRef, useState } from 'react';
import { Icon } from '../ui/icon';
import { foundNodes, keyOf, pathText, previewOf, visibleNodes, type TreeNode } from './tree-model';
import classes from './value-tree.module.css';

interface ValueTreeProps {
  readonly value: unknown;
  readonly label: string;
  /** How expressions name the root: `.fetch`, `$prev.args`. */
  readonly expression?: string;
  /** Where the API has the value. */
  readonly path?: string;
  /** The message of an error: texts of the value that it quotes are marked. */
  readonly failingText?: string | undefined;
}

const ROW_PX = 24;
const MAX_HEIGHT_PX = 480;
const SEARCH_FROM = 8;

/** Any JSON value, as large as it may be: only the rows on the screen are in the page. */
export function ValueTree({ value, label, expression, path, failingText }: ValueTreeProps) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [text, setText] = useState('');
  const wanted = useDeferredValue(text.trim());
  const nodes = useMemo(
    () => (wanted === '' ? visibleNodes(value, toggled) : foundNodes(value, wanted)),
    [value, toggled, wanted],
  );
  const box = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: nodes.length,
    estimateSize: () => ROW_PX,
    getScrollElement: () => box.current,
    overscan: 10,
  });
  const toggle = ({ path: place }: TreeNode): void => {
    const next = new Set(toggled);
    if (!next.delete(keyOf(place))) next.add(keyOf(place));
    setToggled(next);
  };
  const height = Math.min(nodes.length * ROW_PX, MAX_HEIGHT_PX);
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
            return (
              <div
                key={keyOf(node.path)}
                className={classes.row}
                style={{ transform: `translateY(${start}px)`, paddingLeft: `${node.depth * 14}px` }}
                {...(isQuoted && { 'data-quoted': true })}
              >
                <Row node={node} onToggle={() => toggle(node)} expression={expression} path={path} />
              </div>
            );
          })}
        </div>
      </div>
      {wanted !== '' && nodes.length === 0 && <p className="soft">Nothing has this text.</p>}
    </div>
  );
}

interface RowProps {
  readonly node: TreeNode;
  readonly onToggle: () => void;
  readonly expression: string | undefined;
  readonly path: string | undefined;
}

function Row({ node, onToggle, expression, path }: RowProps) {
  const { name, value, size, isOpen } = node;
  const preview = (
    <span className={classes.value} data-type={size === null ? typeof value : 'branch'}>
      {previewOf(value, size)}
    </span>
  );
  return (
    <>
      {size ? (
        <button type="button" className={classes.toggle} aria-expanded={isOpen} onClick={onToggle}>
          <Icon name={isOpen ? 'down' : 'chevron'} size={12} />
          {name !== null && <span className={classes.name}>{name}</span>}
          {preview}
        </button>
      ) : (
        <span className={classes.leaf}>
          {name !== null && <span className={classes.name}>{name}</span>}
          {preview}
        </span>
      )}
      <CopyMenu node={node} expression={expression} path={path} />
    </>
  );
}

/** The menu is made when it is asked for: one in each row would make large values slow. */
function CopyMenu({ node, expression, path }: Omit<RowProps, 'onToggle'>) {
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

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
