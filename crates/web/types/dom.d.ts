// The types of `app/dom.js`.

import type { ComponentChildren, JSX, VNode } from 'preact';

export type Tags = JSX.IntrinsicElements;

/** An element's function: a wrong attribute, event or property is a type error. */
export type ElementOf<T extends keyof Tags> = (
  props: (Tags[T] & { [data: `data-${string}`]: string | number | boolean | undefined }) | null,
  ...children: ComponentChildren[]
) => VNode;

export type Children = ComponentChildren;
