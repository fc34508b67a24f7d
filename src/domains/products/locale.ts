import { defineLocale } from '../../shared/locale.ts'

export const locale = defineLocale(
  {
    fields: {
      img: '图片', name: '商品名称', model: '规格', categoryId: '商品分类', categoryName: '分类', drugClass: '药品分类', barcode: '条形码', costPrice: '成本价', retailPrice: '销售价', margin: '毛利率',
      deviceCount: '在售设备', laneCount: '在售货道', placed: '在售设备 / 货道', stock: '总库存', sales30: '近30天销量', source: '来源', orgName: '所属机构', status: '状态', updateTime: '更新时间', createTime: '创建时间',
      keyword: '名称 / 条形码', images: '商品图片', detailImages: '详情图', manufacturer: '生产厂家', approvalNo: '批准文号', dosageForm: '剂型', storeTempMin: '最低储存温度', storeTempMax: '最高储存温度',
      purchaseLimit: '限购数量', warnQty: '默认预警值', nearExpiryDays: '临期天数', sort: '排序', productCount: '商品数', rtuNumber: '机器编号', nickname: '机器名称', roadIndex: '货道', quantity: '库存', capacity: '容量', price: '售价',
    },
    category: { title: '商品分类', name: '分类名称', create: '新增分类', edit: '编辑分类', empty: '还没有分类', removeAsk: '确定删除该分类?' },
    enums: {
      drugClass: { NONE: '非药品', OTC_B: '乙类非处方药', OTC_A: '甲类非处方药', RX: '处方药' },
      drugShort: { NONE: '非药品', OTC_B: '乙类 OTC', OTC_A: '甲类 OTC', RX: '处方药' },
      status: { ON: '上架', OFF: '下架' },
      source: { OWN: '自有', INHERITED: '上级' },
      laneStatus: { ENABLED: '正常', DISABLED: '停用', FAULT: '故障', LOCKED: '锁定', MERGED: '已合并' },
      dosageForm: {
        '片剂/胶囊': '片剂/胶囊', 缓释控释: '缓释控释', 口服液体剂: '口服液体剂', 丸剂: '丸剂', 颗粒剂: '颗粒剂', 口服散剂: '口服散剂', 外用散剂: '外用散剂', 软膏剂: '软膏剂', 贴剂: '贴剂', 外用液体剂: '外用液体剂',
        硬膏剂: '硬膏剂', 凝胶剂: '凝胶剂', 涂剂: '涂剂', 栓剂: '栓剂', 滴眼剂: '滴眼剂', 滴耳剂: '滴耳剂', 滴鼻剂: '滴鼻剂', 吸入剂: '吸入剂', 其他: '其他',
      },
    },
    list: {
      title: '商品列表', create: '新增商品', edit: '编辑', copy: '复制', publish: '上架', unpublish: '下架', lanes: '铺货情况', remove: '删除', empty: '还没有商品', all: '全部', on: '上架', off: '下架', inherited: '上级机构的商品不能修改', isUsed: '商品已被使用,请改为下架',
      publishAsk: '上架后货道可以继续销售', unpublishAsk: '该商品正在 {n} 台设备的 {m} 个货道销售,下架后将停止销售', unpublishFree: '该商品没有在任何货道销售', removeAsk: '删除后不可恢复,确定删除?', lanesEmpty: '没有货道在售', laneSum: '{n} 台设备，{m} 个货道，库存 {k} 件',
    },
    form: {
      createTitle: '新增商品', editTitle: '编辑商品', basic: '基本', basicHint: '名称和规格显示在机器屏幕和顾客订单里', prices: '价格', pricesHint: '货道可以单独定价，不能低于成本价', pictures: '图片', picturesHint: '第一张为封面，显示在机器屏幕上',
      drug: '药品信息', drugHint: '药监要求登记的信息', drugBanner: '无人自助设备仅可销售乙类非处方药', selling: '销售规则', sellingHint: '货道没有单独设置时使用', noLimit: '0 为不限', days: '不填为 {n} 天', byLane: '不填则按货道设置', choose: '选择商品', offShelf: '已下架', scan: '8、12、13 或 14 位数字',
    },
    audit: { create: '新增商品', edit: '编辑商品', publish: '商品上下架', remove: '删除商品', createCategory: '新增商品分类', editCategory: '编辑商品分类', removeCategory: '删除商品分类' },
    success: { create: '保存成功', edit: '编辑成功', publish: '设置成功', remove: '删除成功', createCategory: '保存成功', editCategory: '编辑成功', removeCategory: '删除成功' },
  },
  {
    fields: {
      img: 'Picture', name: 'Product name', model: 'Specification', categoryId: 'Category', categoryName: 'Category', drugClass: 'Drug class', barcode: 'Barcode', costPrice: 'Cost', retailPrice: 'Retail price', margin: 'Margin',
      deviceCount: 'Machines', laneCount: 'Lanes', placed: 'Machines / lanes', stock: 'Stock', sales30: 'Sold in 30 days', source: 'Source', orgName: 'Organisation', status: 'Status', updateTime: 'Changed', createTime: 'Created',
      keyword: 'Name / barcode', images: 'Pictures', detailImages: 'Detail pictures', manufacturer: 'Manufacturer', approvalNo: 'Approval number', dosageForm: 'Dosage form', storeTempMin: 'Lowest storing temperature', storeTempMax: 'Highest storing temperature',
      purchaseLimit: 'Purchase limit', warnQty: 'Default low-stock value', nearExpiryDays: 'Near-expiry days', sort: 'Order', productCount: 'Products', rtuNumber: 'Machine no.', nickname: 'Machine', roadIndex: 'Lane', quantity: 'Stock', capacity: 'Capacity', price: 'Price',
    },
    category: { title: 'Categories', name: 'Category', create: 'New category', edit: 'Edit category', empty: 'No categories yet', removeAsk: 'Delete this category?' },
    enums: {
      drugClass: { NONE: 'Not a drug', OTC_B: 'OTC class B', OTC_A: 'OTC class A', RX: 'Prescription' },
      drugShort: { NONE: 'Not a drug', OTC_B: 'OTC B', OTC_A: 'OTC A', RX: 'Rx' },
      status: { ON: 'On shelf', OFF: 'Off shelf' },
      source: { OWN: 'Own', INHERITED: 'From above' },
      laneStatus: { ENABLED: 'Normal', DISABLED: 'Off', FAULT: 'Fault', LOCKED: 'Locked', MERGED: 'Merged' },
      dosageForm: {
        '片剂/胶囊': 'Tablet / capsule', 缓释控释: 'Modified release', 口服液体剂: 'Oral liquid', 丸剂: 'Pills', 颗粒剂: 'Granules', 口服散剂: 'Oral powder', 外用散剂: 'Topical powder', 软膏剂: 'Ointment', 贴剂: 'Patch', 外用液体剂: 'Topical liquid',
        硬膏剂: 'Plaster', 凝胶剂: 'Gel', 涂剂: 'Paint', 栓剂: 'Suppository', 滴眼剂: 'Eye drops', 滴耳剂: 'Ear drops', 滴鼻剂: 'Nose drops', 吸入剂: 'Inhalant', 其他: 'Other',
      },
    },
    list: {
      title: 'Products', create: 'New product', edit: 'Edit', copy: 'Copy', publish: 'Put on shelf', unpublish: 'Take off shelf', lanes: 'Where it is sold', remove: 'Delete', empty: 'No products yet', all: 'All', on: 'On shelf', off: 'Off shelf', inherited: 'Products of an organisation above cannot be changed', isUsed: 'The product has been used; take it off the shelf instead',
      publishAsk: 'Lanes can sell it again', unpublishAsk: 'It is on sale in {m} lanes of {n} machines; they will stop selling it', unpublishFree: 'No lane sells this product', removeAsk: 'This cannot be undone. Delete?', lanesEmpty: 'No lane sells it', laneSum: '{n} machines, {m} lanes, {k} pieces in stock',
    },
    form: {
      createTitle: 'New product', editTitle: 'Edit product', basic: 'Basics', basicHint: 'Name and specification show on machines and in orders', prices: 'Prices', pricesHint: 'Lanes may have their own price, never below cost', pictures: 'Pictures', picturesHint: 'The first one is the cover on the machine',
      drug: 'Drug details', drugHint: 'What the drug authority asks for', drugBanner: 'Unattended machines may sell OTC class B drugs only', selling: 'Selling rules', sellingHint: 'Used when the lane has none of its own', noLimit: '0 is no limit', days: '{n} days when empty', byLane: 'As set at the lane when empty', choose: 'Choose a product', offShelf: 'Off shelf', scan: '8, 12, 13 or 14 digits',
    },
    audit: { create: 'Added a product', edit: 'Changed a product', publish: 'Put a product on or off the shelf', remove: 'Deleted a product', createCategory: 'Added a product category', editCategory: 'Changed a product category', removeCategory: 'Deleted a product category' },
    success: { create: 'Saved', edit: 'Changed', publish: 'Set', remove: 'Deleted', createCategory: 'Saved', editCategory: 'Changed', removeCategory: 'Deleted' },
  },
)
