import './mend-language';
import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

export type Looks = Omit<UPlot.Options, 'width' | 'height'>;

interface ChartProps<T> {
  readonly of: T;
  /** The same functions each time: a new one draws anew. */
  readonly data: (of: T) => UPlot.AlignedData;
  readonly options: (element: HTMLElement, of: T) => Looks;
}

const HEIGHT_PX = 200;

/** As wide as its place, and drawn anew with other colours. Those who cannot see it need a table next to it. */
export function Chart<T>({ of, data, options }: ChartProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const size = { width: element.clientWidth, height: HEIGHT_PX };
    const cursor = { drag: { x: false, y: false }, points: { show: false } };
    const chart = new UPlot({ ...size, cursor, ...options(element, of) }, data(of), element);
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT_PX }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [of, data, options, scheme]);
  return <div ref={box} aria-hidden="true" />;
}

/** The colours of the page, and axes in them: times below, values on the left. */
export function looksOf(element: HTMLElement) {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  const axis = {
    stroke: colour('--ink-soft'),
    font: `11px ${style.fontFamily}`,
    grid: { stroke: colour('--line'), width: 1 },
    ticks: { show: false },
  };
  return { colour, times: { ...axis, grid: { show: false } }, values: { ...axis, size: 44 } };
}
