import type { ComponentType } from 'react'
import type { Endpoint } from '../shared/contract.ts'
import type { Screen } from '../shared/screens.ts'
import type { Question } from './confirm.tsx'
import type { Query } from './list/listUrl.ts'
import type { Routes } from './routes.ts'
import type { PaletteItem } from './shell/paletteItem.ts'

/** The list as it is shown, filter and columns, as a file. */
export type ExportWish = {
  readonly endpoint: Endpoint
  readonly ns: string
  readonly query: Query
  readonly columns: readonly string[]
  readonly total: number
  readonly confirm: (question: Question) => Promise<boolean>
}

/** What of it is the same each time. */
export type ScheduleWish = Omit<ExportWish, 'total' | 'confirm'>

/** What Ctrl K finds besides pages. */
export type Finder = {
  readonly permission: string
  find(query: string): Promise<readonly PaletteItem[]>
}

/** What stands before a sign-in. */
type Entrance = {
  readonly screens: readonly Screen[]
  /** Pages open without a session; they must not pull in the shell or antd. */
  readonly publicRoutes: Routes
  /** Why somebody has no way to a page that needs `code`. */
  readonly WhyNot: ComponentType<{ code: string }>
}
/** What the shell shows of the business. */
type Inside = {
  readonly routes: Routes
  readonly finders: readonly Finder[]
  /** What stands in the header of every page. */
  readonly Badges: ComponentType
  /** Whose eyes to look through. */
  readonly ViewDialog: ComponentType<{ onClose: () => void }>
  readonly loadProofDialog: () => Promise<ComponentType<{ onAnswer: (given: boolean) => void }>>
  exportList(wish: ExportWish): Promise<void>
  /** The same at times, by itself; whoever holds `scheduleRight` may. */
  readonly ScheduleDialog: ComponentType<{ wish: ScheduleWish; onClose: () => void }>
  readonly scheduleRight: string
  /** One picture, of somebody's own record or of another; answers its address. */
  uploadImage(file: File, own: boolean): Promise<string>
}

const given: Partial<Entrance & Inside> = {}

/**
 * The product this shell is around: src/apps/web hands over each part before what needs it is
 * drawn.
 */
export const product = given as Entrance & Inside
export const provide = (part: Entrance | Inside): unknown => Object.assign(given, part)
