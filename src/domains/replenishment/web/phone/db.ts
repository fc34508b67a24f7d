/** IndexedDB as promises, as much of it as the phone needs. */

const stores = {
  /** What was taken along of a machine: its lanes, their products and batches. */
  machines: { keyPath: 'deviceId' },
  visits: { keyPath: 'clientId' },
  /** What was done at a lane, as it stands on the screen. */
  entries: { keyPath: ['clientId', 'laneId'] },
  /** What is sent of it; never changed after it was made. */
  ops: { keyPath: 'opId', by: 'clientId' },
  photos: { keyPath: 'id', by: 'clientId' },
  /** Single values by their name. */
  kept: {},
} as const
export type StoreName = keyof typeof stores

export const dbName = (userId: number): string => `huodao-phone-${userId}`

const opened = new Map<number, Promise<IDBDatabase>>()

/** The store of one person; another one at this phone has his own and does not see this. */
export function openDb(userId: number): Promise<IDBDatabase> {
  const known = opened.get(userId)
  if (known) return known
  const opening = new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(dbName(userId), 1)
    request.onupgradeneeded = () => {
      for (const [name, { by, ...options }] of Object.entries<{ keyPath?: string; by?: string }>(
        stores as never,
      )) {
        const store = request.result.createObjectStore(name, options)
        if (by) store.createIndex(by, by)
      }
    }
    request.onerror = () => reject(request.error)
    request.onsuccess = () => {
      // it is wiped, or a newer page wants another shape of it
      request.result.onversionchange = () => forget(userId)
      request.result.onclose = () => void opened.delete(userId)
      resolve(request.result)
    }
  })
  opened.set(userId, opening)
  opening.catch(() => opened.delete(userId))
  return opening
}

function forget(userId: number): void {
  void opened.get(userId)?.then((db) => db.close())
  opened.delete(userId)
}

export async function deleteDb(userId: number): Promise<void> {
  forget(userId)
  await asked(indexedDB.deleteDatabase(dbName(userId)))
}

export const asked = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** All or nothing: `act` awaits nothing but requests of the stores it is given. */
export async function transact<T>(
  db: IDBDatabase,
  names: readonly StoreName[],
  mode: 'readonly' | 'readwrite',
  act: (store: (name: StoreName) => IDBObjectStore) => Promise<T>,
): Promise<T> {
  const transaction = db.transaction([...names], mode, { durability: 'strict' })
  const done = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
  })
  try {
    const found = await act((name) => transaction.objectStore(name))
    await done
    return found
  } catch (error) {
    done.catch(() => undefined)
    if (transaction.error === null) tryAbort(transaction)
    throw error
  }
}

function tryAbort(transaction: IDBTransaction): void {
  try {
    transaction.abort()
  } catch {
    // it ended by itself
  }
}

export const getOne = <T>(db: IDBDatabase, name: StoreName, key: IDBValidKey) =>
  transact(db, [name], 'readonly', (of) => asked<T | undefined>(of(name).get(key)))
export const getAll = <T>(db: IDBDatabase, name: StoreName, range?: IDBKeyRange) =>
  transact(db, [name], 'readonly', (of) => asked<T[]>(of(name).getAll(range)))
/** Of one visit. */
export const getOwn = <T>(db: IDBDatabase, name: 'ops' | 'photos', clientId: string) =>
  transact(db, [name], 'readonly', (of) => asked<T[]>(of(name).index('clientId').getAll(clientId)))
export const put = (db: IDBDatabase, name: StoreName, value: unknown, key?: IDBValidKey) =>
  transact(db, [name], 'readwrite', async (of) => void (await asked(of(name).put(value, key))))
