# Prints what a package says of itself, and the files in it.
define BuildPackage
$(eval $(Package/$(1)))
prepare:
	$$(Build/Prepare)
all: prepare
	$$(call Package/$(1)/install,$$(BUILD)/root)
	@echo '$(PKG_NAME) $(PKG_VERSION) $(PKGARCH)$(GO_PKG)'
	@echo '$(strip $(Package/$(1)/conffiles))'
	@cd $$(BUILD)/root && find . -type f -printf '%M %P\n' | sort -k2
endef
