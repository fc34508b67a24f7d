import PlusOutlined from '@ant-design/icons/es/icons/PlusOutlined'
import { Button } from 'antd'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import type { CallInput, Endpoint } from '../../shared/contract.ts'
import { queryClient, readKey, useWrite } from '../api.ts'
import { call } from '../call.ts'
import { useConfirm } from '../confirm.tsx'
import { FormDialog } from '../FormDialog.tsx'
import { pickFor, type Values } from '../form/values.ts'
import { useMay } from '../session.ts'
import { useTabPath } from '../shell/tabs.ts'
import { defaultsOf } from './listUrl.ts'
import type { Records, RowAction } from './types.ts'

type Texts = {
  readonly ns: string
  readonly texts?: string | undefined
  readonly endpoint: Endpoint
}
type Found<R> = {
  /** The button that creates, for who may. */
  readonly add: ReactNode
  readonly empty: string | undefined
  readonly dialog: ReactNode
  readonly actionsOf: (row: R, own: readonly RowAction[]) => readonly RowAction[]
}

/**
 * `{one}` and `{many}` of a domain make the sentences about its records; one that says its own
 * sentence is heard.
 */
function useRecordTexts({
  ns,
  texts,
}: Pick<Texts, 'ns' | 'texts'>): (key: 'create' | 'edit' | 'removeAsk' | 'empty') => string {
  const { t } = useTranslation([ns, 'web'])
  const own = `${ns}:${texts ? `${texts}.` : ''}`
  return (key) =>
    t([`${own}${key}`, `web:record.${key}`], { one: t(`${own}one`), many: t(`${own}many`) })
}

/**
 * A row with what only its form shows; null when it could not be read, and the failure is shown
 * already.
 */
function wholeOf<R extends object>(get: Endpoint, row: R): Promise<R | null> {
  const input = pickFor(get.input, row as Values) as CallInput<Endpoint>
  return queryClient
    .fetchQuery({ queryKey: readKey(get, input), queryFn: () => call(get, input), staleTime: 0 })
    .then((found) => found as R)
    .catch(() => null)
}

/** Create, edit and remove as every list has them. */
export function useRecords<R extends object>(
  records: Records<R> | undefined,
  names: Texts,
  nameOf: (row: R) => ReactNode,
): Found<R> {
  const { t } = useTranslation('web')
  const say = useRecordTexts(names)
  const may = useMay()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const path = useTabPath()
  const [edited, setEdited] = useState<R | 'new' | null>(null)
  // a hook is called in any case; without the endpoint nothing calls what it gives
  const gone = useWrite(records?.remove ?? names.endpoint, { success: 'web:success.removed' })
  if (!records) return { add: null, empty: undefined, dialog: null, actionsOf: (_, own) => own }
  const { create, update, remove, fields: Fields } = records
  const row = edited === 'new' ? undefined : (edited ?? undefined)
  const save = row ? update : create

  /** The row as somebody else left it. */
  const newest = async (of: R): Promise<R | null> => {
    if (records.get) return wholeOf(records.get, of)
    await queryClient.invalidateQueries({ queryKey: [names.endpoint.path] })
    return (
      queryClient
        .getQueriesData<{ list?: R[] }>({ queryKey: [names.endpoint.path], type: 'active' })
        .flatMap(([, answer]) => answer?.list ?? [])
        .find((other) => (other as { id?: number }).id === (of as { id?: number }).id) ?? null
    )
  }
  const edit = async (of: R) => setEdited(records.get ? await wholeOf(records.get, of) : of)
  const askRemove = async (of: R) => {
    const ok = t('action.delete')
    const question = { title: say('removeAsk'), content: nameOf(of), danger: true, ok }
    if (remove && (await confirm(question)))
      gone.mutate(pickFor(remove.input, of as Values) as CallInput<Endpoint>)
  }
  return {
    add:
      create && may(create.access) ? (
        <Button
          type="primary"
          icon={<PlusOutlined />}
          onClick={() => (Fields ? setEdited('new') : navigate(`${path}/create`))}
        >
          {say('create')}
        </Button>
      ) : null,
    empty: say('empty'),
    dialog:
      edited && save && Fields ? (
        <FormDialog
          title={say(row ? 'edit' : 'create')}
          ns={names.ns}
          {...(records.width ? { width: records.width } : {})}
          onClose={() => setEdited(null)}
          success={`web:success.${row ? 'edited' : 'saved'}`}
          save={save}
          {...(row ? { reload: async () => setEdited((await newest(row)) ?? row) } : {})}
          initial={
            row
              ? pickFor(save.input, row as Values)
              : { ...defaultsOf(save.input), ...records.blank }
          }
        >
          <Fields row={row} />
        </FormDialog>
      ) : null,
    actionsOf: (of, own) => {
      const can = (of as { can?: { update?: boolean; edit?: boolean; delete?: boolean } }).can
      const act = (
        endpoint: Endpoint | undefined,
        allowed: boolean | undefined,
        why: string | undefined,
      ) => {
        const right = endpoint !== undefined && may(endpoint.access)
        return {
          can: endpoint !== undefined && ((allowed ?? right) || (right && why !== undefined)),
          disabled: allowed === true ? undefined : why,
        }
      }
      return [
        {
          key: 'edit',
          label: t('action.edit'),
          ...act(update, can?.update ?? can?.edit, records.whyNotUpdate?.(of)),
          ...(Fields
            ? { onClick: () => void edit(of) }
            : { to: `${path}/edit/${(of as { id?: number }).id}` }),
        },
        ...own,
        {
          key: 'remove',
          label: t('action.delete'),
          danger: true,
          ...act(remove, can?.delete, records.whyNotRemove?.(of)),
          onClick: () => void askRemove(of),
        },
      ]
    },
  }
}
