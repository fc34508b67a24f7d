import { registerLocale } from '../../../web/i18n.ts'
import { locale } from '../locale.ts'

// pages of other domains open these dialogs without having loaded their texts
registerLocale('deviceSettings', locale)

export { SettingsBatch } from './SettingsBatch.tsx'
export { SettingsDialog } from './SettingsDialog.tsx'
export { SettingsTab } from './SettingsTab.tsx'
