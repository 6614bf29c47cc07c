import { useEffect, useState } from 'react';
import { searchOf, type TreeNode } from './tree-model';

/** Looked at in a few milliseconds on a slow phone. */
const AT_ONCE = 1_500;

/** What a search finds, once all is looked through, a part at a time; until then what the one before it found. Null without a search. */
export function useFound(root: unknown, text: string): readonly TreeNode[] | null {
  const [found, setFound] = useState<{ readonly of: unknown; readonly nodes: readonly TreeNode[] }>();
  useEffect(() => {
    if (text === '') return undefined;
    const search = searchOf(root, text);
    const nodes: TreeNode[] = [];
    let timer = setTimeout(step);
    function step(): void {
      const part = search(AT_ONCE);
      nodes.push(...part.found);
      if (part.isDone) setFound({ of: root, nodes });
      else timer = setTimeout(step);
    }
    return () => clearTimeout(timer);
  }, [root, text]);
  return found !== undefined && text !== '' && found.of === root ? found.nodes : null;
}
