import type { Level, Section } from './kinds.ts'

export const facts = (section: Section, level: Level, name: string, help: string) => ({ section, level, name, help })
/** Read by a chapter that is not built yet. */
export const later = (section: Section, level: Level, name: string, help: string) => ({ ...facts(section, level, name, help), pending: true as const })
