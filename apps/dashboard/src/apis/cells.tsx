import type { ReactNode } from 'react';
import { ApiState } from './api-state';
import type { Api } from './queries';
import classes from './apis.module.css';

type Listed = Pick<Api, 'key' | 'state' | 'fault'>;

/** Of a row of the list of APIs, or of MCP servers: its name with its key, and its state. */
export function firstCells({ key, state, fault }: Listed, link: ReactNode): readonly ReactNode[] {
  return [
    <span key="name" className={classes.name}>
      {link}
      {key !== null && <code className="soft">{key}</code>}
    </span>,
    <span key="state" className={classes.state}>
      <ApiState state={state} />
      {fault !== null && <span className={classes.why}>{fault}</span>}
    </span>,
  ];
}
