# Makes the folder of a package, for ../../feed: BUILD/root, BUILD/conffiles and BUILD/control.
# The target source unpacks the archive as OpenWrt does.
define BuildPackage
$(eval $(Package/$(1)))
all:
	$$(call Package/$(1)/install,$$(BUILD)/root)
	@printf '%s\n' $(strip $(Package/$(1)/conffiles)) >$$(BUILD)/conffiles
	@{ \
	echo 'Package: $(PKG_NAME)'; \
	echo 'Version: $(PKG_VERSION)-r$(PKG_RELEASE)'; \
	echo 'Depends: $(subst $(space),$(comma) ,$(strip $(patsubst +%,%,$(DEPENDS))))'; \
	echo 'Source: $(if $(PKG_SOURCE),$(PKG_SOURCE),$(PKG_NAME))'; \
	echo 'License: $(PKG_LICENSE)'; \
	echo 'Section: $(SECTION)'; \
	echo 'URL: $(URL)'; \
	echo 'Maintainer: $(PKG_MAINTAINER)'; \
	echo 'Architecture: $(if $(PKGARCH),$(PKGARCH),$(ARCH_PACKAGES))'; \
	echo 'Description: $(TITLE). $(strip $(Package/$(1)/description))'; \
	} | sed '/: $$$$/d' >$$(BUILD)/control
compile:
	@echo '$(PKG_HASH)  $(DL_DIR)/$(PKG_SOURCE)' | sha256sum --quiet -c
	mkdir -p $(PKG_BUILD_DIR) $(BUILD)/bin
	tar -xzf $(DL_DIR)/$(PKG_SOURCE) -C $(PKG_BUILD_DIR) --strip-components=1
	$$(Build/Compile)
endef
