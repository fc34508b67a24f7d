import type { jobErrors } from '../contract.ts'

/**
 * What is wrong with a whole file, by the name of its error: a thread that reads files needs no
 * contract.
 */
export class FileFault extends Error {
  readonly fault: Fault
  constructor(fault: Fault) {
    super(fault)
    this.fault = fault
  }
}
export type Fault = keyof typeof jobErrors &
  (
    | 'fileBroken'
    | 'fileUnsafe'
    | 'fileType'
    | 'cellTooLong'
    | 'tooMuchText'
    | 'tooManyLines'
    | 'wrongTemplate'
  )
