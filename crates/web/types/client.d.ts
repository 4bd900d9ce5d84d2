// The types of `app/api.js`, from those of the OpenAPI document.

import type { Signal } from '@preact/signals';
import type { components, paths } from './api';

export type Schemas = components['schemas'];

type Method = 'get' | 'post' | 'put' | 'delete';

/** The paths that take a method. */
export type PathOf<M extends Method> = {
  [P in keyof paths]: paths[P] extends { [K in M]: { responses: unknown } } ? P : never;
}[keyof paths];

type Operation<P extends keyof paths, M extends Method> = M extends keyof paths[P] ? paths[P][M] : never;

type Parameters<O, Place extends 'query' | 'path'> = O extends { parameters: { [K in Place]?: infer Q } } ? NonNullable<Q> : never;

type RequestBody<O> = O extends { requestBody?: { content: { 'application/json': infer B } } } ? B : never;

type Json<R> = R extends { content: { 'application/json': infer B } } ? B : undefined;

/** What a success answers with. */
export type Answer<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer R } ? { [S in keyof R]: S extends 200 | 201 | 202 ? Json<R[S]> : S extends 204 ? undefined : never }[keyof R] : never;

/** Undefined parts are left out. */
type Loose<T> = { [K in keyof T]?: T[K] | undefined };

export interface Options<P extends keyof paths, M extends Method> {
  path?: Parameters<Operation<P, M>, 'path'>;
  query?: Loose<Parameters<Operation<P, M>, 'query'>> | undefined;
  body?: RequestBody<Operation<P, M>>;
  form?: FormData;
  signal?: AbortSignal;
  /** The body in gzip, sent in its place. */
  packed?: Blob | undefined;
  /** The `Idempotency-Key` of a POST; one is made where none is given. */
  key?: string;
  /** Gets the change that the service recorded, if any. */
  changed?: (id: number) => void;
}

export type Call<M extends Method> = <P extends PathOf<M>>(path: P, options?: Options<P, M>) => Promise<Answer<P, M>>;

/** A page of a list, and where the next one is. */
export interface Page<Row> {
  rows: Row[];
  next: string | null;
}

export type RowOf<T> = T extends (infer Row)[] ? Row : never;

export type CallPage = <P extends PathOf<'get'>>(path: P, options?: Options<P, 'get'>) => Promise<Page<RowOf<Answer<P, 'get'>>>>;

/** What is read of the service and kept while it is shown. */
export interface Resource<T> {
  data: Signal<T | null>;
  error: Signal<Error | null>;
  busy: Signal<boolean>;
  /** Reads anew; an answer that comes late is dropped. */
  load: () => Promise<void>;
  /** Reads unless it was read already. */
  want: () => void;
  /** Reads it again if it is shown. */
  renew: () => void;
  /** Puts what is known to be so or soon will be; an answer that is on its way is dropped. */
  set: (value: T) => void;
  /**
   * Shows a change before the service has answered, also over data that is read meanwhile. Returns a function that ends
   * this: the change stays if it was done, and otherwise it is taken back, and the changes beside it stay.
   */
  tentatively: (change: (data: T) => T) => (isDone: boolean) => void;
  clear: () => void;
}

/** As the service sends it; one that is found here has a field only. */
export type FieldError = Pick<Schemas['FieldError'], 'field'> & Partial<Schemas['FieldError']>;
