import type { Output } from '../../../shared/contract.ts'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { deviceTypes } from '../contract.ts'

export type TypeOption = Output<typeof deviceTypes.options>['list'][number]
type Props = PickProps<number | null> & { onPick?: (option: TypeOption | undefined) => void }

/** Types of the own organisation and those above. `onPick` gives the whole option. */
export const DeviceTypeSelect = (props: Props) => (
  <OptionSelect {...props} from={deviceTypes.options} text={({ name }) => name} />
)
