import { OptionSelect, type PickProps } from '../../../web/OptionSelect.tsx'
import { stores } from '../contract.ts'

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
