import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { boards } from '../contract.ts'

/**
 * Codes with which boards bind themselves to these machines: made on demand, drawn as QR codes, to
 * be printed or taken along.
 */
export const ActivationPanel = lazyDialog(() =>
  import('./ActivationPanel.tsx').then((m) => m.ActivationPanel),
)

type Props = PickProps<number | null> & { orgId?: number | undefined }
/**
 * A board that is free, found by its number; with an organisation one that may go into its
 * machines.
 */
export const BoardSelect = ({ orgId, ...props }: Props) => (
  <OptionSelect
    {...props}
    from={boards.options}
    input={orgId ? { orgId } : {}}
    text={(board) => [board.boardNo, board.model].filter(Boolean).join(' · ')}
  />
)
