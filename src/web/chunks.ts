/** A chunk that is gone means a new release or no network: only a reload helps then. */
export const isMissingChunk = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|module script|preload CSS/i.test(error.message)
