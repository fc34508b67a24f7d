/** A chunk that is gone means a new release or no network: only a reload helps then. */
export const isMissingChunk = (error: unknown): boolean =>
  error instanceof Error &&
  /dynamically imported module|module script|preload CSS/i.test(error.message)

/** What is said of a part of the page that failed: without a network none of it is new. */
export const failureText = (error: unknown): 'error.network' | 'error.chunk' | 'error.page' => {
  if (!isMissingChunk(error)) return 'error.page'
  return navigator.onLine ? 'error.chunk' : 'error.network'
}
