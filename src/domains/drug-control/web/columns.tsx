import { Cut, Muted } from '../../../web/ui/Text.tsx'

type Named = { readonly rtuNumber: string; readonly nickname: string }
/** Number and name of a machine in one column. */
export const machine = {
  width: 176,
  fit: (_: unknown, row: Named) => `${row.rtuNumber} ${row.nickname}`,
  render: (_: unknown, row: Named) => (
    <Cut title={row.nickname}>
      {row.rtuNumber} <Muted>{row.nickname}</Muted>
    </Cut>
  ),
}
