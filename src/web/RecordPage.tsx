import type { ReactNode } from 'react'
import { useParams, useSearchParams } from 'react-router'
import type { CallInput, Endpoint, Output } from '../shared/contract.ts'
import { useRead } from './api.ts'
import { FormPage } from './FormPage.tsx'
import { pickFor, type Values } from './form/values.ts'
import { defaultsOf } from './list/listUrl.ts'
import { useScreen } from './useScreen.ts'

type Props<G extends Endpoint> = {
  readonly ns: string
  readonly get: G
  readonly create: Endpoint
  readonly update: Endpoint
  /** What is edited, beside the title and on the tab. */
  readonly name: (record: Output<G>) => readonly [name: string, more?: string]
  /** Start values of a new record that the contract does not give. */
  readonly blank?: Values
  /** What a copy (`?from=12`) does not take along. */
  readonly own?: Values
  /** What a record gives its form, where that is not all its fields. */
  readonly shown?: (record: Output<G>) => Values
  /** Whose typing stays in this browser until it is saved: for forms that take long. */
  readonly keep?: number
  /** The fields; the record is there when one is edited. */
  readonly children: (edited: Output<G> | undefined, fresh: boolean) => ReactNode
}

/** The pages `/create`, `/create?from=12` and `/edit/12` beside a list, which they lead back to. */
export function RecordPage<G extends Endpoint>({
  ns,
  get,
  create,
  update,
  name,
  blank,
  own,
  shown,
  keep,
  children,
}: Props<G>) {
  const { id } = useParams()
  const [search] = useSearchParams()
  const from = id ?? search.get('from') ?? undefined
  const loaded = useRead(get, { id: Number(from) } as unknown as CallInput<G>, {
    inline: true,
    enabled: from !== undefined,
  })
  const data = loaded.data
  const edited = id === undefined ? undefined : data
  const save = id === undefined ? create : update
  const [tab = '', more = ''] = edited ? name(edited) : []
  const screen = useScreen()
  return (
    <FormPage
      ns={ns}
      title={screen.title}
      back={screen.parent ?? '/'}
      {...(from ? { loaded } : {})}
      {...(id ? { subtitle: `${tab} ${more}`.trim(), tab } : {})}
      save={save}
      {...(keep === undefined ? {} : { keep: `${keep}:${ns}:${from ?? ''}:${id ?? 'new'}` })}
      success={`web:success.${id ? 'edited' : 'saved'}`}
      initial={
        data
          ? pickFor(save.input, { ...(shown?.(data) ?? (data as Values)), ...(id ? {} : own) })
          : { ...defaultsOf(create.input), ...blank }
      }
    >
      {children(edited, id === undefined)}
    </FormPage>
  )
}
