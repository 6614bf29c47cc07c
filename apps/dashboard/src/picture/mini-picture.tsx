import { useMemo } from 'react';
import { Icon } from '../ui/icon';
import { marksOf, pictureOf, type DrawnLayer } from './picture-model';
import classes from './mini-picture.module.css';

/** A flow in two lines: its stages one after the other, to look at only. */
export function MiniPicture({ layers }: { readonly layers: readonly DrawnLayer[] }) {
  const { stages, cases } = useMemo(() => pictureOf(layers), [layers]);
  return (
    <ol className={classes.stages} aria-label="Its layers">
      {stages.map((stage) => (
        <li key={stage[0]?.ref}>
          {stage.map((layer) => (
            <span
              key={layer.ref}
              className={classes.layer}
              title={[layer.appId, ...marksOf(layer, cases.get(layer.ref) ?? [])].join(' · ')}
            >
              {layer.forEach !== null && <Icon name="retry" size={10} />}
              {layer.when !== null && <Icon name="filter" size={10} />}
              {layer.name}
            </span>
          ))}
        </li>
      ))}
    </ol>
  );
}
