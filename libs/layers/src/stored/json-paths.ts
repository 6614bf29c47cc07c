/** Fields and positions from the root of a JSON value. */
export type JsonPath = readonly (string | number)[];

/** Paths as a tree: what a reader must look out for below the place where it is. */
export interface PathNode {
  readonly children: Map<string, PathNode>;
  /** Which of the paths ends here; null = none. */
  wanted: number | null;
}

/** Paths that are the same share the number of the first. */
export function pathTree(paths: readonly JsonPath[]): PathNode {
  const root = node();
  paths.forEach((path, i) => {
    let at = root;
    for (const step of path) {
      let next = at.children.get(String(step));
      if (!next) at.children.set(String(step), (next = node()));
      at = next;
    }
    at.wanted ??= i;
  });
  return root;
}

function node(): PathNode {
  return { children: new Map(), wanted: null };
}
