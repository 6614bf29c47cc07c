/** Fields and positions from the root of a JSON value. */
export type JsonPath = readonly (string | number)[];

/** One value to read. */
export interface JsonRead {
  readonly steps: JsonPath;
  /** Lists on the way are read as a whole: the path continues in each of their items (JSONata). */
  readonly throughLists: boolean;
}

/** Paths as a tree: what a reader must look for below its current position. */
export interface PathNode {
  readonly children: Map<string, PathNode>;
  wanted: boolean;
  wantedIfList: boolean;
}

export function pathTree(reads: readonly JsonRead[]): PathNode {
  const root = node();
  for (const { steps, throughLists } of reads) {
    let at = root;
    for (const step of steps) {
      at.wantedIfList ||= throughLists;
      let next = at.children.get(String(step));
      if (!next) at.children.set(String(step), (next = node()));
      at = next;
    }
    at.wanted = true;
  }
  return root;
}

/** The nodes from the root to the end of a path, each with the path so far. */
export function* placesOn(root: PathNode, steps: JsonPath): Generator<readonly [PathNode, JsonPath]> {
  let at: PathNode | undefined = root;
  for (let i = 0; at; i += 1) {
    yield [at, steps.slice(0, i)];
    if (i === steps.length) return;
    at = at.children.get(String(steps[i]));
  }
}

function node(): PathNode {
  return { children: new Map(), wanted: false, wantedIfList: false };
}
