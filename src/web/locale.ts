import { defineLocale } from '../shared/locale.ts'

/** Texts of the platform. */
export const locale = defineLocale(
  {
    product: '货道', loading: '加载中…', version: '版本 {version}', otherLang: 'English',
    error: {
      timeout: '请求超时', network: '网络请求错误', blocked: '请求被拦截', busy: '系统繁忙,请稍后再试', unexpected: '操作失败', session: '登录已过期,请重新登录',
      user: '获取用户信息失败,请重新登录', menus: '无法解析用户权限菜单', page: '页面出错了', pageHint: '其他标签页不受影响，可以重试', requestId: '追踪号', chunk: '页面资源加载失败，可能已发布新版本',
    },
    action: {
      save: '保存', cancel: '取消', retry: '重试', copyId: '复制追踪号', copied: '已复制', copy: '复制', close: '关闭', more: '更多', confirm: '确定', back: '返回', clear: '清空', reload: '刷新', remove: '移除', apply: '确定', reset: '恢复默认', search: '搜索', add: '新增',
    },
    bool: { true: '是', false: '否' },
    unknown: '—',
    shell: {
      searchMenu: '搜索菜单 / 拼音', home: '首页', fold: '收起菜单', unfold: '展开菜单', menu: '菜单', search: '机器编号 / 订单号 / 商品', palette: '搜索页面，支持拼音', noMatch: '没有匹配的结果', org: '所属机构',
      language: '语言', toDark: '切换为深色', toLight: '切换为浅色', compact: '紧凑尺寸', fullscreen: '全屏', exitFullscreen: '退出全屏', info: '个人中心', password: '修改密码', logout: '退出登录', logoutAsk: '确定退出登录?', logoutDirty: '有未保存的修改，退出后将丢失',
      closeOthers: '关闭其他', closeTab: '关闭', closeDirty: '内容尚未保存,确定离开?', leave: '离开', stay: '继续编辑', tabs: '已打开的页面', help: '键盘快捷键', newVersion: '系统已更新，刷新后使用新版本', refresh: '立即刷新', later: '稍后', skip: '跳到内容', user: '用户菜单', pages: '页面',
    },
    keys: { search: '全局搜索', save: '保存表单', help: '显示本帮助', close: '关闭弹层', fold: '收起或展开菜单', rows: '详情中切换上一条、下一条' },
    list: {
      total: '共 {count} 条', sums: '合计', all: '全部', moreFilters: '更多筛选', clearFilters: '清空筛选', columns: '列设置', density: '密度', compact: '紧凑', standard: '标准', loose: '宽松', refresh: '刷新', actions: '操作',
      selected: '已选 {count} 条', selectAll: '选择全部 {count} 条', clearSelection: '取消选择', empty: '还没有数据', filtered: '没有符合条件的数据', failed: '{title}加载失败', from: '开始日期', to: '结束日期', keyword: '关键字', sheet: '数据列表', views: '快捷视图', show: '显示', up: '上移', down: '下移', stale: '数据未能刷新', tooMany: '最多选择 1000 条',
    },
    form: {
      unsaved: '有未保存的修改', saveHint: 'Ctrl S 保存', toFix: '{count} 处需要修改：', leave: '内容尚未保存,确定离开?', loadFailed: '{title}加载失败', typeToConfirm: '请输入 {text} 确认', notAmount: '金额格式错误', choose: '请选择', optional: '选填',
    },
    upload: { button: '上传图片', replace: '更换', type: '只能上传 jpg、png 格式', size: '图片大小不能超过2M', count: '最多上传5张图片', failed: '上传失败' },
    age: { now: '刚刚', minutes: '{n}分钟', hours: '{n}小时', days: '{n}天' },
    detail: { previous: '上一条', next: '下一条' },
    chart: { loading: '图表加载中', others: '其他', sum: '合计', table: '数据' },
    login: {
      title: '登录', slogan: '每一件货，都有着落', lead: '智能售货运营后台：设备、货道、订单与账目在同一处核对。', remember: '记住用户名', submit: '登录', capsLock: '大写锁定已开启', show: '显示密码', hide: '隐藏密码', username: '用户名', password: '密码', usernameHint: '请输入用户名', passwordHint: '请输入密码',
    },
    notFound: { text: '抱歉,您访问的页面不存在', forbidden: '或您没有访问该页面的权限', home: '返回首页', login: '去登录', back: '返回上一页' },
    pwd: { title: '修改密码', purpose: '修改后所有设备需要重新登录', first: '首次登录请修改密码', rule: '至少 8 个字符，须同时包含字母和数字', strength: '密码强度', weak: '弱', fair: '中', strong: '强' },
    info: { title: '个人中心', basic: '个人资料', basicPurpose: '姓名和电话用于业务联系', account: '账号', accountPurpose: '由管理员维护', none: '无' },
    success: { done: '操作成功', saved: '保存成功', edited: '编辑成功', removed: '删除成功', set: '设置成功' },
  },
  {
    product: 'Huodao', loading: 'Loading…', version: 'Version {version}', otherLang: '中文',
    error: {
      timeout: 'The request timed out', network: 'Network request error', blocked: 'The request was blocked', busy: 'The system is busy, try again later', unexpected: 'Operation failed', session: 'Login has expired, please sign in again',
      user: 'Could not get user info, please log in again', menus: 'Unable to resolve user rights menu', page: 'This page failed', pageHint: 'Other tabs are not affected; you can try again', requestId: 'Trace', chunk: 'Part of the page could not be loaded; there may be a new version',
    },
    action: {
      save: 'Save', cancel: 'Cancel', retry: 'Retry', copyId: 'Copy trace id', copied: 'Copied', copy: 'Copy', close: 'Close', more: 'More', confirm: 'OK', back: 'Back', clear: 'Clear', reload: 'Reload', remove: 'Remove', apply: 'Apply', reset: 'Reset', search: 'Search', add: 'Add',
    },
    bool: { true: 'Yes', false: 'No' },
    unknown: '—',
    shell: {
      searchMenu: 'Search menu', home: 'Home', fold: 'Fold menu', unfold: 'Unfold menu', menu: 'Menu', search: 'Machine / order / product', palette: 'Search pages', noMatch: 'Nothing found', org: 'Organisation',
      language: 'Language', toDark: 'Switch to dark', toLight: 'Switch to light', compact: 'Compact size', fullscreen: 'Full screen', exitFullscreen: 'Leave full screen', info: 'Personal centre', password: 'Change password', logout: 'Sign out', logoutAsk: 'Sign out?', logoutDirty: 'Unsaved changes will be lost',
      closeOthers: 'Close others', closeTab: 'Close', closeDirty: 'There are unsaved changes. Leave anyway?', leave: 'Leave', stay: 'Keep editing', tabs: 'Open pages', help: 'Keyboard shortcuts', newVersion: 'There is a new version; reload to use it', refresh: 'Reload now', later: 'Later', skip: 'Skip to content', user: 'User menu', pages: 'Pages',
    },
    keys: { search: 'Search everywhere', save: 'Save the form', help: 'Show this help', close: 'Close what is open', fold: 'Fold or unfold the menu', rows: 'Previous or next row in a detail' },
    list: {
      total: '{count} rows', sums: 'Sum', all: 'All', moreFilters: 'More filters', clearFilters: 'Clear filters', columns: 'Columns', density: 'Density', compact: 'Compact', standard: 'Standard', loose: 'Loose', refresh: 'Refresh', actions: 'Actions',
      selected: '{count} selected', selectAll: 'Select all {count}', clearSelection: 'Clear selection', empty: 'Nothing here yet', filtered: 'Nothing matches the filters', failed: '{title} could not be loaded', from: 'From', to: 'To', keyword: 'Keyword', sheet: 'List', views: 'Quick views', show: 'Show', up: 'Move up', down: 'Move down', stale: 'Could not refresh', tooMany: 'At most 1000 rows can be selected',
    },
    form: {
      unsaved: 'Unsaved changes', saveHint: 'Ctrl S saves', toFix: '{count} to correct:', leave: 'There are unsaved changes. Leave anyway?', loadFailed: '{title} could not be loaded', typeToConfirm: 'Type {text} to confirm', notAmount: 'Not an amount', choose: 'Choose', optional: 'Optional',
    },
    upload: { button: 'Upload picture', replace: 'Replace', type: 'Only jpg or png', size: 'The picture must not exceed 2M', count: 'At most 5 pictures', failed: 'Upload failed' },
    age: { now: 'now', minutes: '{n}m', hours: '{n}h', days: '{n}d' },
    detail: { previous: 'Previous', next: 'Next' },
    chart: { loading: 'Loading chart', others: 'Others', sum: 'Sum', table: 'Data' },
    login: {
      title: 'Sign in', slogan: 'Every piece accounted for', lead: 'Back-office for smart vending: machines, lanes, orders and money checked in one place.', remember: 'Remember username', submit: 'Sign in', capsLock: 'Caps lock is on', show: 'Show password', hide: 'Hide password', username: 'Username', password: 'Password', usernameHint: 'Enter your username', passwordHint: 'Enter your password',
    },
    notFound: { text: 'Sorry, this page does not exist', forbidden: 'or you have no permission to see it', home: 'Go to home', login: 'Sign in', back: 'Go back' },
    pwd: { title: 'Change password', purpose: 'All devices have to sign in again', first: 'Change your password before you go on', rule: 'At least 8 characters with a letter and a digit', strength: 'Strength', weak: 'Weak', fair: 'Fair', strong: 'Strong' },
    info: { title: 'Personal centre', basic: 'Your details', basicPurpose: 'How colleagues reach you', account: 'Account', accountPurpose: 'Kept by your administrator', none: 'None' },
    success: { done: 'Done', saved: 'Saved', edited: 'Changed', removed: 'Deleted', set: 'Set' },
  },
)
