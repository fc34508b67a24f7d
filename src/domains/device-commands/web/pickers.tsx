import { registerLocale } from '../../../web/i18n.ts'
import { locale as devices } from '../../devices/locale.ts'
import { locale } from '../locale.ts'

// pages of other domains open these dialogs without having loaded their texts; why a piece did not
// fall is said in the words of faults
registerLocale('deviceCommands', locale)
registerLocale('devices', devices)

export { QueryButton } from './QueryButton.tsx'
export { RebootBatch } from './RebootBatch.tsx'
export { TestVendDialog } from './TestVendDialog.tsx'
export { useCommands } from './useCommands.tsx'
