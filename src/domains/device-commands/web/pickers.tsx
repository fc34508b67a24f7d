import { registerLocale } from '../../../web/i18n.ts'
import { locale } from '../locale.ts'

// pages of other domains open these dialogs without having loaded their texts
registerLocale('deviceCommands', locale)

export { Progress } from './Progress.tsx'
export { QueryButton } from './QueryButton.tsx'
export { RebootBatch } from './RebootBatch.tsx'
export { useCommands } from './useCommands.tsx'
