import type { ReactNode } from 'react';
import logo from '../theme/weft.svg';
import classes from './card.module.css';

interface CardProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** The page of somebody who is not signed in. */
export function Card({ title, children }: CardProps) {
  return (
    <main className={classes.page}>
      <div className={classes.brand}>
        <img src={logo} alt="" width={28} height={28} />
        <span>Weft</span>
      </div>
      <section className={`panel ${classes.card}`}>
        <h1>{title}</h1>
        {children}
      </section>
    </main>
  );
}
