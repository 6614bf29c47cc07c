import { atLeast } from '@weft/access';
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { answerOf, api } from '../api/client';
import { may, useMe } from '../session/me';
import { Icon, type IconName } from '../ui/icon';
import classes from './overview.module.css';

/** A company with this many flows needs no help with the next one. */
const FEW = 3;

interface Step extends Pick<LinkProps, 'to' | 'search'> {
  readonly icon: IconName;
  readonly title: string;
  readonly text: string;
}

const STEPS: readonly Step[] = [
  {
    ...{ to: '/flows', search: { new: 'recipe' }, icon: 'flows', title: 'Start from a recipe' },
    text: 'Complete flows for usual jobs: sync, approval, webhook, report. Fill in your addresses.',
  },
  {
    ...{ to: '/flows', search: { new: 'curl' }, icon: 'out', title: 'Paste a curl command' },
    text: 'The example of any service becomes the first layer of a flow.',
  },
  {
    ...{ to: '/flows', search: { new: 'document' }, icon: 'copy', title: 'Import a document' },
    text: 'A flow that somebody has exported, also from another installation.',
  },
  {
    ...{ to: '/docs/$', icon: 'docs', title: 'Read how it works' },
    text: 'The documents of this version, from this installation.',
  },
];

/** What to do next, for those who may make flows where there are few. */
export function FirstSteps() {
  const mayMake = may(useMe(), atLeast('editor'));
  const { data: count } = useQuery({
    queryKey: ['flows', 'few'],
    enabled: mayMake,
    queryFn: async () => (await answerOf(api.GET('/api/v1/flows', { params: { query: { size: FEW } } }))).items.length,
  });
  if (count === undefined || count >= FEW) return null;
  return (
    <section aria-label="First steps" className={classes.steps}>
      {STEPS.map(({ icon, title, text, ...place }) => (
        <Link key={title} {...place} className={`panel ${classes.step ?? ''}`}>
          <strong>
            <Icon name={icon} /> {title}
          </strong>
          <span className="soft">{text}</span>
        </Link>
      ))}
    </section>
  );
}
