import { defineLocale } from '../../shared/locale.ts'
import { en } from './localeEn.ts'
import { zh } from './localeZh.ts'

export const locale = defineLocale(zh, en)
