import { Icon } from '../ui/icon';
import type { Layers } from './draft';
import type { Problem } from './problems';
import classes from './editor.module.css';

interface ProblemListProps {
  readonly problems: readonly Problem[];
  readonly layers: Layers;
  readonly onGo: (problem: Problem) => void;
}

/** Everything that is wrong or doubtful; a click leads to its field. */
export function ProblemList({ problems, layers, onGo }: ProblemListProps) {
  return (
    <ul className={`panel ${classes.problems ?? ''}`} aria-label="Problems">
      {problems.map((problem, i) => {
        const ref = layers.find(({ key }) => key === problem.key)?.ref;
        const place = [ref, problem.field].filter(Boolean).join(' › ');
        return (
          <li key={i} data-error={problem.isError || undefined}>
            <Icon name={problem.isError ? 'cross' : 'dot'} size={12} />
            <span className="sr-only">{problem.isError ? 'Error:' : 'Doubtful:'}</span>
            {ref === undefined ? (
              <span>{problem.message}</span>
            ) : (
              <button type="button" onClick={() => onGo(problem)}>
                <code>{place}</code> {problem.message}
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
