import { registerLocale } from '../../../web/i18n.ts'
import { lazyDialog } from '../../../web/lazyDialog.tsx'
import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { stores } from '../contract.ts'
import { locale } from '../locale.ts'

// pages of other domains use these without having loaded the texts
registerLocale('stores', locale)

/** The fields of a store's dialog. */
export const StoreFields = lazyDialog(() => import('./StoreFields.tsx').then((m) => m.StoreFields))

/**
 * A store by its name. Without an organisation its name follows; nothing to choose while it is
 * `null`.
 */
export const StoreSelect = ({
  orgId,
  ...props
}: PickProps<number | null> & { orgId?: number | null | undefined }) => (
  <OptionSelect
    {...props}
    from={stores.options}
    input={orgId === null ? null : orgId === undefined ? {} : { orgId }}
    text={(store) =>
      orgId === undefined ? `${store.storeName} · ${store.orgName}` : store.storeName
    }
  />
)
