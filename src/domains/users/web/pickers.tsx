import { useRead } from '../../../web/api.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import type { PickProps } from '../../../web/OptionSelect.tsx'
import { TreePick } from '../../../web/TreePick.tsx'
import { accounts } from '../../accounts/contract.ts'
import { users } from '../contract.ts'

/** Random (shown once) or typed; render it only while open. */
export const ResetDialog = lazyDialog(() => import('./ResetDialog.tsx').then((m) => m.ResetDialog))

type Props = PickProps<number | null>
const none: [] = []

/** Any organisation the actor sees. */
export function HomeSelect(props: Props) {
  const read = useRead(accounts.organisationOptions, {}, { staleTime: 60_000 })
  return <TreePick {...props} rows={read.data?.list ?? none} loading={read.isPending} />
}

/** A department of one organisation. */
export function DepartmentSelect({ orgId, ...props }: Props & { orgId: number | undefined }) {
  const known = orgId !== undefined
  const read = useRead(users.departments, known ? { orgId } : {}, {
    enabled: known,
    staleTime: 10_000,
  })
  return (
    <TreePick
      {...props}
      rows={(known && read.data?.list) || none}
      loading={known && read.isPending}
      disabled={props.disabled || !known}
    />
  )
}
