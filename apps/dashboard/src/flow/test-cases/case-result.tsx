import { Icon } from '../../ui/icon';
import type { TestRun } from './queries';
import classes from './test-cases.module.css';

interface CaseResultProps {
  /** Undefined when the case was not run. */
  readonly result: TestRun['items'][number] | undefined;
}

export function CaseResult({ result }: CaseResultProps) {
  if (!result) return <span className="soft">not run</span>;
  return (
    <div>
      <span className={classes.verdict} data-state={result.passed ? 'DONE' : 'FAIL'}>
        <Icon name={result.passed ? 'check' : 'cross'} size={13} /> {result.passed ? 'passed' : 'failed'}
      </span>
      {result.differences.length > 0 && (
        <ul className={classes.differences}>
          {result.differences.map(({ path, message }) => (
            <li key={path + message}>{message}</li>
          ))}
        </ul>
      )}
    </div>
  );
}
